// The language for tree-sitter: what editors colour, fold and indent by. It follows
// lang/grammar.y, but needs no line breaks: no statement goes on where another one begins.
const OPERATORS = [['or', 1], ['and', 2], ['==', 4], ['!=', 4], ['<', 4], ['<=', 4], ['>', 4], ['>=', 4], ['..', 5], ['+', 6], ['-', 6], ['*', 7],
  ['/', 7], ['%', 7]];
const NUMBER = /[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?/;
const NOT = 3, NEGATIVE = 8, POSTFIX = 9;
const RESERVED = ['and', 'else', 'false', 'fn', 'for', 'if', 'import', 'in', 'let', 'not', 'or', 'then', 'true'];

const list = rule => seq(rule, repeat(seq(',', rule)));
const items = rule => seq(list(rule), optional(','));
const body = (...rules) => seq('{', repeat(choice(...rules, ';')), '}');
// Keywords that begin another statement of the same body are names before `=`.
const or_name = ($, ...words) => choice($.identifier, alias(choice(...words), $.identifier));
const fields = (...rules) => seq('{', repeat(choice(...rules, ',', ';')), '}');

module.exports = grammar({
  name: 'trainspec',
  word: $ => $.identifier,
  externals: $ => [$.unit, $._per_unit, $._with_brace, $._beside, $._source],
  extras: $ => [/\s/, $.comment, '\ufeff'],
  supertypes: $ => [$.expression],

  rules: {
    file: $ => repeat(choice($.language, $.import, $.let, $.param, $.function, $.extern, $.gpu, $.model, $.op, $.block, $.strategy, $.schedule,
      $.protocol, $.record_type, $.cluster, $.plan, $.search, ';')),

    comment: _ => token(seq('//', /[^\n]*/)),
    identifier: _ => /[A-Za-z_][A-Za-z0-9_]*/,
    string: $ => seq('"', repeat(choice(token.immediate(/[^"\\\n]+/), $.escape)), token.immediate('"')),
    escape: _ => token.immediate(/\\[^\n]/),

    // Declarations.
    language: $ => seq('language', $.number),
    import: $ => seq(optional('export'), 'import', list($.path)),
    path: $ => seq(choice($.dotted, $.string), optional(seq('(', items($.import_name), ')'))),
    import_name: $ => seq($.identifier, optional(seq('as', field('name', $.identifier)))),
    dotted: $ => prec.left(seq($.identifier, repeat(seq('.', $.identifier)))),
    let: $ => seq('let', field('name', $.identifier), optional(seq(':', $.type)), '=', field('value', $.expression), optional($.source)),
    source: $ => seq(alias($._source, 'source'), $.string),
    param: $ => seq('param', field('name', $.identifier), ':', $.type, '=', field('value', $.expression), optional($.source)),
    function: $ => seq('fn', field('name', $.identifier), $.parameters, optional(seq('->', $.type)), '=', field('value', $.expression)),
    extern: $ => seq('extern', 'fn', field('name', $.identifier), $.parameters, '->', $.type, 'from', $.string, optional(seq('sha256', $.string))),
    gpu: $ => seq('gpu', field('name', $.identifier), choice(seq('=', $.expression, optional($.source)), seq(optional($.source), fields($.field)))),
    model: $ => seq('model', field('name', $.identifier), choice(seq('=', $.expression), seq($.parameters, $.graph))),
    block: $ => seq('block', field('name', $.identifier), $.parameters, $.graph),
    op: $ => seq('op', field('name', $.identifier), $.parameters,
      body($.let, $.tensor, $.slice, $.cast, $.tie, $.saves, $.dimension, $.require, $.phase)),
    strategy: $ => seq('strategy', field('name', $.identifier), $.parameters, body($.let, $.rule)),
    schedule: $ => seq('schedule', field('name', $.identifier), $.parameters,
      body($.let, $.stages, $.chunks, $.order, $.use_protocol, $.depend, $.partner, $.slow, $.remove, $.require, $.at, $.policy)),
    protocol: $ => seq('protocol', field('name', $.identifier), body($.depend, $.partner, $.slow, $.remove)),
    record_type: $ => seq('record', field('name', $.identifier), fields($.parameter)),
    cluster: $ => seq('cluster', field('name', $.identifier), $.parameters, $.machines),
    plan: $ => seq('plan', field('name', $.identifier), optional($.parameters), fields($.field)),
    search: $ => seq('search', field('name', $.identifier), 'of', $.identifier, body($.let, $.vary, $.set, $.goal, $.require)),

    parameters: $ => seq('(', optional(items($.parameter)), ')'),
    parameter: $ => seq(field('name', choice($.identifier, $.reserved_name)), ':', $.type, optional(seq('=', field('value', $.expression), optional($.source)))),
    type: $ => seq($.identifier, optional(seq('[', $.type, ']'))),
    field: $ => seq(field('name', $.identifier), '=', field('value', $.expression), optional($.source)),
    require: $ => seq(choice('require', 'expect'), $.expression, ',', $.string),

    // Searches.
    vary: $ => seq('vary', field('name', $.identifier), 'in', $.expression),
    set: $ => seq('set', field('name', $.identifier), '=', $.expression),
    goal: $ => seq(choice('minimize', 'maximize'), $.expression),

    // Ops.
    tensor: $ => seq(choice('weight', 'output'), field('name', $.identifier), ':', $.expression, optional(seq('dtype', $.expression)), optional($.condition),
      optional(seq('trained', $.condition))),
    slice: $ => seq('slice', field('name', $.identifier), ':', $.expression, 'of', $.identifier),
    cast: $ => seq('cast', $.identifier, 'dtype', $.expression, optional(seq('moving', $.expression)), optional($.condition)),
    tie: $ => seq('tie', $.identifier, 'with', $.expression, optional($.condition)),
    saves: $ => seq('saves', $.expression, optional($.condition)),
    dimension: $ => seq(choice('whole', 'uneven', 'contracts'), $.identifier, 'dim', $.expression),
    condition: $ => seq('if', $.expression),
    phase: $ => seq($.phase_name, fields(alias($.phase_field, $.field), $.kernel)),
    phase_field: $ => seq(field('name', or_name($, 'kernel')), '=', field('value', $.expression), optional($.source)),
    phase_name: _ => choice('forward', seq('backward', '(', choice('input', 'weight'), ')')),
    kernel: $ => seq('kernel', field('name', $.identifier), optional($.condition), fields($.field)),

    // Blocks and models.
    graph: $ => body($.let, $.node, $.yield, $.require, $.repeat, $.if_graph),
    node: $ => prec(-1, choice(
      seq(field('name', or_name($, 'yield', 'repeat', 'require', 'expect', 'match')), '=', $.expression, optional($.as_label)),
      seq($._postfix, $.as_label))),
    yield: $ => prec(-1, seq('yield', $.expression, optional($.as_label))),
    as_label: $ => seq('as', $.label),
    label: $ => $.dotted,
    repeat: $ => seq('repeat', $.expression, $.as_label, $.graph),
    if_graph: $ => seq('if', $.expression, $.graph, optional(seq('else', choice($.graph, $.if_graph)))),

    // Strategies.
    rule: $ => seq('rule', field('name', $.identifier), optional('optional'),
      body($.match, $.split, $.replicate, $.communicate, $.recompute, $.shard, $.tie, $.set)),
    match: $ => seq('match', choice('*', seq($.identifier, repeat(seq('|', $.identifier)))), optional(seq('as', $.match_label, repeat(seq('|', $.match_label)))),
      optional($.where)),
    match_label: $ => choice($.string, $.identifier),
    where: $ => seq('where', $.expression),
    split: $ => seq('split', list($.split_item), 'over', $.expression),
    split_item: $ => seq($.identifier, optional(seq('dim', $.expression))),
    replicate: $ => seq('replicate', list($.identifier)),
    communicate: $ => seq(choice('before', 'after'), choice($.phase_name, 'gradients', 'step'), ':', field('function', $.identifier), $.arguments),
    recompute: $ => prec.right(seq('recompute', optional($.arguments))),
    shard: $ => seq(choice('shard', 'offload'), $.arguments),

    // Schedules.
    stages: $ => seq('stages', $.expression, optional(seq('of', $.expression)), optional(seq('balanced', optional($.condition)))),
    chunks: $ => seq('chunks', $.expression, optional(seq('copies', $.expression)), optional(seq('place', $.expression))),
    order: $ => seq('order', 'from', $.expression),
    use_protocol: $ => seq('protocol', $.identifier),
    at: $ => seq('at', choice($.expression, $.generator), $.work),
    generator: $ => seq(field('name', $.identifier), 'in', $.expression),
    work: $ => body($.let, $.item, $.pair, $.for_work, $.if_work),
    item: $ => prec.right(seq(field('function', $.identifier), optional($.arguments))),
    pair: $ => seq('pair', $.item, 'with', $.item),
    for_work: $ => seq('for', $.generator, optional($.where), $.work),
    if_work: $ => seq('if', $.expression, $.work, optional(seq('else', choice($.work, $.if_work)))),
    policy: $ => seq('policy', $.expression, optional(seq('at', $.generator)), body($.let, $.limit, $.prefer, $.slot, $.try)),
    limit: $ => seq('limit', $.expression),
    prefer: $ => seq('prefer', list(seq($.item, optional(seq('key', $.expression))))),
    slot: $ => seq('slot', list($.place)),
    try: $ => seq('try', $.generator),
    place: $ => seq($.item, 'at', $.expression),
    clause_name: $ => seq(field('name', $.identifier), ':'),
    depend: $ => seq('depend', optional($.clause_name), $.place, 'on', optional(seq('any', $.expression, 'of')), $.place,
      optional(seq('for', $.generator)), optional(seq('sending', $.expression)), optional($.where)),
    partner: $ => seq('partner', optional($.clause_name), $.place, 'with', $.place, optional($.where)),
    slow: $ => seq('slow', optional($.clause_name), $.place, 'by', $.expression, optional($.where)),
    remove: $ => seq('remove', $.identifier),

    // Clusters.
    machines: $ => body($.let, $.devices, $.for_machines, $.if_machines, $.link),
    devices: $ => seq(choice('device', 'switch'), list($.array), optional(seq(':', $.expression))),
    array: $ => seq(field('name', $.identifier), '[', list($.expression), ']'),
    for_machines: $ => seq('for', list($.generator), $.machines),
    if_machines: $ => seq('if', $.expression, $.machines, optional(seq('else', choice($.machines, $.if_machines)))),
    link: $ => seq('link', $.reference, choice('<->', '->'), $.reference, fields($.field)),
    reference: $ => seq($.identifier, optional(seq('[', list(choice($.expression, '*')), ']'))),

    // Expressions.
    expression: $ => choice($._postfix, $.conditional, $.binary, $.unary),
    _postfix: $ => choice($.identifier, $.number, $.string, $.truth, $.tagged, $.list, $.comprehension, $.record, $.parenthesized, $.call, $.index, $.member, $.with, $.match_value),
    number: $ => choice(seq(NUMBER, optional($.unit)), seq(new RegExp('\\$' + NUMBER.source), optional(alias($._per_unit, $.unit)))),
    truth: _ => choice('true', 'false'),
    tagged: $ => prec(POSTFIX, seq(field('function', $.identifier), $._beside, $.string)),
    list: $ => seq('[', optional(items($.expression)), ']'),
    comprehension: $ => seq('[', $.expression, repeat1(seq('for', $.generator)), optional($.condition), ']'),
    record: $ => seq('{', optional(items(choice(seq($.argument, optional($.source)), $.identifier))), '}'),
    parenthesized: $ => seq('(', $.expression, ')'),
    call: $ => prec(POSTFIX, seq(field('function', $._postfix), $.arguments)),
    arguments: $ => seq('(', optional(items(choice($.argument, $.expression))), ')'),
    argument: $ => seq(field('name', choice(or_name($, 'match'), $.reserved_name)), ':', field('value', $.expression)),
    reserved_name: _ => choice(...RESERVED),
    index: $ => prec(POSTFIX, seq($._postfix, '[', $.expression, ']')),
    member: $ => prec(POSTFIX, seq($._postfix, '.', field('name', choice($.identifier, $.reserved_name)))),
    with: $ => prec(POSTFIX, seq($._postfix, alias($._with_brace, 'with'), fields(alias($.with_field, $.field), $.link, $.rule, $.remove, $.override))),
    with_field: $ => seq(field('name', or_name($, 'link', 'rule', 'remove')), '=', field('value', $.expression), optional($.source)),
    override: $ => seq($.reference, fields($.field)),
    match_value: $ => seq('match', $.expression, fields($.arm)),
    arm: $ => seq($.expression, repeat(seq('|', $.expression)), '->', field('value', $.expression)),
    conditional: $ => prec.right(0, seq('if', $.expression, 'then', $.expression, 'else', $.expression)),
    binary: $ => choice(...OPERATORS.map(([operator, precedence]) => prec.left(precedence, seq($.expression, operator, $.expression)))),
    unary: $ => choice(prec(NEGATIVE, seq('-', $.expression)), prec(NOT, seq('not', $.expression))),
  },
});
