python3 hf-keys.py ../../stdlib ../../doc/models.md
