trainspec table _execution.json
