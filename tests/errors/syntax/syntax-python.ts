from gpt import model

def plan(tp=8):
    return model(layers=4)
