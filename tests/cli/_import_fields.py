"""import-fields.py STDLIB: fields of importers' arguments that neither their code uses nor a list of theirs names: keys
that would be taken and passed over; prefixes of names that lead to themselves; and how many patterns still stand for
keys that nobody listed, which may fall and not grow."""
import glob
import os
import re
import sys

# They change no kernel: squared ReLU takes as long as GELU; exports write it.
IMPLIED = {"squared_relu"}
files = {path: open(path).read() for path in sorted(glob.glob(os.path.join(sys.argv[1], "frameworks", "*.ts")))}
named = {word for text in files.values() for names in re.findall(r'"([\w *]+)"', text) for word in names.split()}
for path, text in files.items():
    for record in re.finditer(r"^record \w+Arguments \{\n(.*?)^\}\n", text, re.M | re.S):
        rest = text.replace(record[0], "")
        for field in re.findall(r"^  (\w+): ", record[1], re.M):
            if field not in named | IMPLIED and not re.search(r"\.%s\b" % field, rest):
                print(f"{os.path.basename(path)}: `{field}` is taken, and changes nothing")
for path, text in files.items():
    for given, other in re.findall(r'\{ given: "([^"]*)", as: "([^"]*)" \}', text):
        if other.startswith(given) and given != other and f'{{ given: "{other}", as: "{other}" }}' not in text:
            print(f"{os.path.basename(path)}: the prefix `{given}` leads to itself")
    harmless = "".join(re.findall(r"harmless(?::| =)(.*?)(?:^  (?:partly|refused)|\Z|^let )", text, re.M | re.S))
    patterns = [w for names in re.findall(r'"([\w *-]+)"', harmless) for w in names.split() if "*" in w]
    if patterns:
        print(f"{os.path.basename(path)}: {len(patterns)} patterns")
