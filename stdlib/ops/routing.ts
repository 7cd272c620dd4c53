// How a router deals tokens out to experts. A `load` says how unevenly:
//   a number         the fullest rank gets so many times the mean, on however many ranks the experts lie; 1: balanced
//   a list           one number an expert: its tokens, or its share of them. Experts are dealt out to ranks in their order
//   a list of lists  one of the above for each layer with experts, in order: [[1.2], [1.5]], or [[300, 200, ...], [250, 410, ...]]
// All ranks wait for the fullest, so it is the fullest that is played. On one rank there is none
// that is fuller.

fn _by_layer(load: Any) -> Bool = is_list(load) and len(load) > 0 and is_list(load[0])

// What holds in the n-th layer with experts; whether there is one for each of `layers`.
fn load_at(load: Any, n: Int) = if _by_layer(load) then load[n] else load
fn loads_fit(load: Any, layers: Int) -> Bool = not _by_layer(load) or len(load) == layers

// The fullest of `ranks` ranks over the mean, at most all there is.
fn fullest_rank(load: Any, ranks: Int) -> Real = if not is_list(load) then min(load, ranks) else _fullest_of(load, ranks)
fn _fullest_of(load: List, ranks: Int) -> Real = if len(load) == 1 then min(load[0], ranks) else ranks *
  max(_tokens_of(load, div(len(load), ranks), ranks)) / real(sum(load))
fn _tokens_of(load: List, each: Int, ranks: Int) -> List = [sum([load[r * each + k] for k in 0..each]) for r in 0..ranks]

// Whether a layer can be loaded so: no expert gets a token twice, so its share is at most 1 / top.
fn load_possible(load: Any, experts: Int, top: Int) -> Bool = if is_list(load) then _shares_fit(load, experts, top)
  else _times_fit(load, experts, top)
fn _shares_fit(load: List, experts: Int, top: Int) -> Bool = if len(load) == 1 then _times_fit(load[0], experts, top) else len(load) ==
  experts and min(load) >= 0 and sum(load) > 0 and top * max(load) <= 1.000001 * sum(load)
fn _times_fit(load: Real, experts: Int, top: Int) -> Bool = load >= 1 and top * load <= experts

// Loads by layer and expert from a CSV file with columns `layer`, `expert` and `tokens`, or what
// they are called: one layer's experts after the other's.
fn loads(file: String, tokens: String = "tokens", layer: String = "layer", expert: String = "expert") -> List = _of_columns(
  column(file, layer),
  column(file, expert),
  column(file, tokens),
)
fn _of_columns(layers: List, experts: List, tokens: List) -> List = _loads_of_rows(
  layers,
  experts,
  tokens,
  len([1 for l in layers if l == layers[0]]),
)
fn _loads_of_rows(layers: List, experts: List, tokens: List, count: Int) -> List = if len(layers) % count == 0 and
  all([layers[i] == layers[i - i % count] and experts[i] - experts[0] == i % count for i in 0..len(layers)])
  then [[tokens[n * count + e] for e in 0..count] for n in 0..div(len(layers), count)]
  else refuse("every layer has a row for each expert, in order: layer by layer, and in it expert by expert")

// Popularity that falls as 1 / rank^s (Zipf's law), the popular experts together: the worst case.
fn zipf(experts: Int, s: Real = 1) -> List[Real] = [pow(i + 1, -s) for i in 0..experts]

// Shares drawn from a symmetric Dirichlet distribution, for each of `layers`: the larger the
// concentration, the more even; 1: all shares are equally likely. Of the fullest expert and the
// mean, with 64: 4.6 at 1, 1.9 at 10, 1.3 at 100. Shares are gamma variates over their sum.
fn dirichlet(experts: Int, concentration: Real, layers: Int, seed: String = "routing") -> List[List[Real]] = if concentration > 0
  then [[_gam(seed, n, e, floor(concentration), concentration - floor(concentration)) for e in 0..experts] for n in 0..layers]
  else refuse("a concentration is above 0")

// A gamma variate: a sum of exponential ones, and one below 1 by rejection (Ahrens and Dieter,
// Computing 12, 1974, algorithm GS), which takes 1.4 tries at most on average.
fn _gam(seed: String, n: Int, e: Int, whole: Int, rest: Real) -> Real = sum([_exp(draw(seed, n, e, k)) for k in 0..whole]) +
  (if rest < 1e-9 then 0 else _gam_of(_gam_tries(seed, n, e, 0, 4, rest), seed, n, e, rest))
fn _gam_of(found: List[Real], seed: String, n: Int, e: Int, a: Real) -> Real = if len(found) > 0 then found[0]
  else _gam_tries(seed, n, e, 4, 64, a)[0]
fn _gam_tries(seed: String, n: Int, e: Int, first: Int, end: Int, a: Real) -> List[Real] = [
  x for k in first..end for x in [_gam_try(draw(seed, n, e, -2 * k - 1), a)] if draw(seed, n, e, -2 * k - 2) <=
    (if x <= 1 then exp(-x) else pow(x, a - 1))
]
fn _gam_try(u: Real, a: Real) -> Real = if u * (1 + a / exp(1)) <= 1 then pow(u * (1 + a / exp(1)), 1 / a)
  else _exp(1 - (1 + a / exp(1)) * (1 - u) / a)
fn _exp(u: Real) -> Real = -log2(1 - u) / log2(exp(1))
