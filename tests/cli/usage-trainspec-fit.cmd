trainspec fit opps
