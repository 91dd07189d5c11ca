import { expect, test } from 'vitest';
import { splitStatements } from './sql-statements.ts';

test('splits at semicolons outside of literals, names, comments and function bodies', () => {
  const file = `-- first; comment
create table a (x text default ';'); /* second; comment */
insert into a values (e'it\\'s;', 'it''s;'), ('$$;$$');
create function f() returns void as $body$
begin
  perform 1; -- kept
end $body$ language plpgsql;

select ";" from a`;

  expect(splitStatements(file).map(({ text, line }) => ({ text, line }))).toEqual([
    { text: "create table a (x text default ';')", line: 2 },
    { text: "insert into a values (e'it\\'s;', 'it''s;'), ('$$;$$')", line: 3 },
    {
      text: 'create function f() returns void as $body$\nbegin\n  perform 1; -- kept\nend $body$ language plpgsql',
      line: 4,
    },
    { text: 'select ";" from a', line: 9 },
  ]);
});

test('returns a lower-case form without comments and with empty literals', () => {
  const [statement] = splitStatements("Alter table a -- set not null\n  add check (x <> 'not valid')");
  expect(statement?.bareText).toBe("alter table a add check (x <> '')");
});

test('skips empty statements', () => {
  expect(splitStatements('-- nothing\n;;\n ; /* here */')).toEqual([]);
});
