// Lines of more than 140 columns are broken at their outermost bracket; when there is none, after an operator.
fn fits(a_rather_long_parameter: Int = 1, another_long_parameter: Int = 2, and_the_last_one_of_them_all_in_this_list: Int = 3) -> Int = 0
fn too_wide(a_rather_long_parameter: Int = 1, another_long_parameter: Int = 2, and_the_last_one_of_them_all_in_this_long_list: Int = 3) -> Int = 0
let sum = the_first_of_several_long_names_in_a_sum + the_second_of_several_long_names_in_a_sum * (the_third_of_several_long_names_in_a_sum - 1) + the_fourth
let nested = outer(first: [1, 2, 3], second: { one: inner(alpha: 1, beta: 2, gamma: 3), two: inner(alpha: 4, beta: 5, gamma: 6) }, third: whatever_comes_last)
let chosen = if the_first_condition_holds_for_all_of_them then the_value_for_that_case(with_an_argument) else if the_second_does then another_value else 0
let hugged = [{ name: "a record in a list", reads: gradient + 8 B + (if master then 4 B else weight), writes: 8 B + weight + (if master then 4 B else 0 B) }]
let listed = [very_long_element_name(i) + another_very_long_element_name(j) for i in 0..the_number_of_rows_of_them for j in 0..the_number_of_columns_of_them]
schedule s(p: Axis) {
  require p > 1 and p % 2 == 0, "a pipeline of this kind needs an even number of stages, because its stages are placed in pairs: p must be even"
  at r in 0..p { for i in 0..the_number_of_micro_batches_in_a_step where i % 2 == 0 { F(i, some_chunk_function(i, p, v)) B(i, some_chunk_function(i, p, v)) } }
}

import std.schedules.zero_bubble (zb_1p, zb_h1 as the_first_of_them, zb_h2 as the_second_of_them, zb_v as with_two_chunks, zb_memory as within), std.ops.nn
