# Each field of an importer is used, or named in a list that says what becomes of it.
python3 _import_fields.py ../../stdlib && echo each is used
