import "_gpt.ts"

fn ring(n: Int) -> Int = n + 1
fn rings(n: Int) -> List = [ring(n)]
