cp examples/extern_cost.* $scratch && cd $scratch && ${CC:-cc} -shared -fPIC -o libextern_cost.so extern_cost.c && tsrun --allow-native=libextern_cost.so extern_cost.ts
