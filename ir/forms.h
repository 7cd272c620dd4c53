/* What the text form, the verifier and the canonical order know about fields of records: rows of
 * ir/records.def. */
#ifndef TS_IR_FORMS_H
#define TS_IR_FORMS_H

#include "ir/spelling.h"

typedef enum ts_ir_type { /* of a field's value, as it is spelled */
  TS_IR_TYPE_NAME,        /* a string: a bare word where it is one */
  TS_IR_TYPE_QUOTED,      /* a string, always in quotes */
  TS_IR_TYPE_NAMED,       /* the record's own, usually the symbol that its statement begins with */
  TS_IR_TYPE_COUNT,
  TS_IR_TYPE_TIME,        /* ps */
  TS_IR_TYPE_BYTES,
  TS_IR_TYPE_CHANGE,      /* bytes, below 0 behind `free` */
  TS_IR_TYPE_SIZE,        /* bytes as a real number; so are those that follow */
  TS_IR_TYPE_RATE,
  TS_IR_TYPE_FLOP,
  TS_IR_TYPE_FLOP_RATE,
  TS_IR_TYPE_NUMBER,
  TS_IR_TYPE_SIGNED,
  TS_IR_TYPE_STATED,      /* may be 0; NaN: left out */
  TS_IR_TYPE_WORD,        /* one of `words` */
  TS_IR_TYPE_FLAG,        /* its word sets `bit` */
  TS_IR_TYPE_REF,         /* the symbol of a record of `table` */
  TS_IR_TYPE_GROUP,       /* that of a group, or of an axis */
  TS_IR_TYPE_LOC,
  TS_IR_TYPE_AXES,        /* a set */
  TS_IR_TYPE_COLLECTIVES, /* a set */
  TS_IR_TYPE_TENTHS,      /* a digit each, A: 10 */
  TS_IR_TYPE_SHA256,
  TS_IR_TYPE_VERTEX,      /* `gpu[1,3]` */
  /* of one record each */
  TS_IR_TYPE_ARROW,
  TS_IR_TYPE_PIPELINE,
  TS_IR_TYPE_RANKS,
  TS_IR_TYPE_COVARIANCE,
  TS_IR_TYPE_DEPS,
  TS_IR_TYPE_ALLOC,
  TS_IR_TYPE_FREE,
  TS_IR_TYPE_RESERVED     /* 0 */
} ts_ir_type;

typedef enum ts_ir_place { /* where a clause may stand */
  TS_IR_PLACE_NEEDED,      /* here, always */
  TS_IR_PLACE_IN_ORDER,    /* here, left out if usual */
  TS_IR_PLACE_ANY,         /* among its neighbours of this kind, left out if usual */
  TS_IR_PLACE_BY_HAND      /* its reader and writer say */
} ts_ir_place;

typedef struct ts_ir_range { double least, most; } ts_ir_range;

typedef struct ts_ir_field {
  const char *name;          /* NULL: behind the last */
  uint16_t offset, size;
  ts_ir_type type;
  ts_ir_place place;
  const char *word;          /* before the value; "": none */
  const char *what;          /* expected as the value; NULL: its type says */
  const char *const *words;  /* of a WORD */
  uint32_t table;            /* that it is an index into, or 0 */
  uint32_t bit;              /* of a FLAG; 0: 1 */
  uint64_t most;             /* of a COUNT; 0: as the field holds */
  bool none;                 /* may be TS_IR_NONE, as it usually is */
  bool always;               /* written if usual, too */
  union { uint64_t whole; double real; } usual;
  uint32_t wrong;            /* the message when it is out of range; 0: it is not checked */
  ts_ir_range range;         /* both 0: that of its type */
  bool or_zero;              /* 0 is allowed besides */
  uint16_t at_most;          /* the whole number of equal size there is no smaller; 0: none */
  uint16_t with;             /* written if that field of 4 bytes is not 0, too */
  uint16_t when_at;          /* only if bit i of `when` is set, i the 4 bytes there; 0: always */
  uint32_t when;
} ts_ir_field;

typedef struct ts_ir_form {
  const char *word;
  uint32_t kind;
  const char *title;         /* of records that are used by name: "device class" */
  bool inner;                /* not at the outermost level */
  const ts_ir_field *fields;
} ts_ir_form;

enum {
#define FORM(word, kind, title) TS_IR_FORM_##word,
#define INNER(word, kind) TS_IR_FORM_##word,
#include "ir/records.def"
  TS_IR_FORMS
};

enum { TS_IR_LARGEST = 336 }; /* bytes of a record */
/* ps of a step: no sum of those of all ranks overflows */
#define TS_IR_HOP_MOST (TS_IR_TIME_MOST / (1u << 24))

extern const ts_ir_form ts_ir_forms[TS_IR_FORMS];

/* What messages call a record that is used by name: "device class". */
const char *ts_ir_title(uint32_t kind);
/* Of a real number's type; TS_IR_DIMENSIONS: it has no unit. */
ts_ir_dimension ts_ir_dimension_of(ts_ir_type type);
/* The table that a field is an index into; 0: none. */
uint32_t ts_ir_target(const ts_ir_field *field);
bool ts_ir_may_be_none(const ts_ir_field *field);
/* Of a whole number of 1, 2, 4 or 8 bytes. */
uint64_t ts_ir_get(const ts_ir_field *field, const void *record);
void ts_ir_put(const ts_ir_field *field, void *record, uint64_t value);
double ts_ir_get_real(const ts_ir_field *field, const void *record);

/* Whether the record, whose needed fields are known, has the field at all. */
bool ts_ir_has_field(const ts_ir_field *field, const void *record);
/* All fields get what they usually are ... */
void ts_ir_make_usual(const ts_ir_form *form, void *record);
/* ... and those that hang on a needed one, or on the place in the table, once it is known. */
void ts_ir_make_usual_here(uint32_t kind, uint32_t index, void *record);
/* A node of an operation in a fragment of `work`. */
ts_ir_node ts_ir_usual_node(uint32_t op, uint32_t comm_stream, const char *work);
uint32_t ts_ir_first_comm_stream(const ts_ir *ir); /* 0: there is none */
/* Whether a value, as it lies in the record, is one that an IR may hold: `range` is its field's. */
ts_ir_range ts_ir_range_of(const ts_ir_field *field);
bool ts_ir_in_range(const ts_ir_field *field, ts_ir_range range, const void *record);
/* Is it equal in both records? */
bool ts_ir_same_field(const ts_ir_field *field, const void *a, const void *b);

#endif
