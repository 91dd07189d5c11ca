-- A file of its own: a migration locks at most two tables, and dropping this one locks features, to which it refers.
drop table strategy_texts;
