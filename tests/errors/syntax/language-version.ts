// Of a later language nothing is read but this.
language 2

plan small ~~ { of words { that ' nobody knows
