# awk -v name=ts_page_script -f embed_text.awk FILE...: prints a C array of the lines of these files; see runtime/report/page.h.
BEGIN { printf "const char *const %s[] = {\n", name }
{ gsub(/["\\]/, "\\\\&"); printf "  \"%s\\n\",\n", $0 }
END { print "  (void *)0};" }
