tsrun --network all ../_two_nodes.ts | sed 's/ [^ ]* [mun]*s$/ (time)/'
tsrun ../_two_nodes.ts
