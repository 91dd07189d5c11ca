export const MAX_CONTEXTS = 50;
/** The table is part of the URL, whose length proxies limit. */
export const MAX_CHARACTERS = 5_000;

export type Row = Record<string, string>;
export type Table = { rows: Row[]; problem?: string };

/** The rows of a pasted table. The first line has the names of context fields. Commas, semicolons or tabs separate values. */
export function rowsOf(text: string): Table {
  if (text.length > MAX_CHARACTERS)
    return failed(`The table has ${text.length} characters. At most ${MAX_CHARACTERS} fit into a link.`);
  const [header, ...lines] = cellsOf(text);
  if (!header)
    return failed('Paste a table. Its first line has names of context fields, such as userId,country.');
  const names = header.map(name => name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (names.includes('')) return failed('A column has no name in the first line.');
  if (twice !== undefined) return failed(`The first line has the column "${twice}" twice.`);
  if (lines.length === 0) return failed('The table has no rows below the names of its columns.');
  if (lines.length > MAX_CONTEXTS)
    return failed(`The table has ${lines.length} rows. At most ${MAX_CONTEXTS} contexts can be evaluated.`);
  const long = lines.findIndex(cells => cells.length > names.length);
  if (long !== -1) return failed(`Row ${long + 1} has more values than the first line has names.`);
  return {
    rows: lines.map(cells =>
      Object.fromEntries(
        names.flatMap((name, at) => {
          const value = cells[at]?.trim() ?? '';
          return value === '' ? [] : [[name, value]];
        }),
      ),
    ),
  };
}

const failed = (problem: string): Table => ({ rows: [], problem });

/** The lines with their values, without empty lines. A quoted value can contain separators, line breaks and "" for a quote. */
function cellsOf(text: string): string[][] {
  const [first = ''] = text.split(/\r?\n/, 1);
  const separator = ['\t', ',', ';'].find(one => first.includes(one)) ?? ',';
  const lines: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endCell = () => {
    cells.push(cell);
    cell = '';
  };
  const endLine = () => {
    endCell();
    if (cells.some(one => one.trim() !== '')) lines.push(cells);
    cells = [];
  };
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (isQuoted && char === '"' && text.charAt(at + 1) === '"') {
      cell += '"';
      at++;
    } else if (char === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted;
    else if (!isQuoted && char === separator) endCell();
    else if (!isQuoted && char === '\n') endLine();
    else if (isQuoted || char !== '\r') cell += char;
  }
  endLine();
  return lines;
}
