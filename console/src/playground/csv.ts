export const MAX_CONTEXTS = 50;
/** The table is part of the URL, and proxies limit the length of URLs. */
export const MAX_CHARACTERS = 5_000;

export type Row = Record<string, string>;
export type Table = { rows: Row[]; problem?: string };

/**
 * Parses a pasted table. The first line contains the names of context fields. Values are separated by commas, semicolons or tabs.
 */
export function parseTable(text: string): Table {
  if (text.length > MAX_CHARACTERS)
    return failure(`The table has ${text.length} characters. At most ${MAX_CHARACTERS} fit into a link.`);
  const [header, ...lines] = splitCells(text);
  if (!header)
    return failure(
      'Paste a table. Its first line must contain the names of context fields, such as userId,country.',
    );
  const names = header.map(name => name.trim());
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (names.includes('')) return failure('A column has no name in the first line.');
  if (duplicate !== undefined) return failure(`The first line has the column "${duplicate}" twice.`);
  if (lines.length === 0) return failure('The table has no rows below its header.');
  if (lines.length > MAX_CONTEXTS)
    return failure(`The table has ${lines.length} rows. At most ${MAX_CONTEXTS} contexts can be evaluated.`);
  const longRow = lines.findIndex(cells => cells.length > names.length);
  if (longRow !== -1) return failure(`Row ${longRow + 1} has more values than the first line has names.`);
  return {
    rows: lines.map(cells =>
      Object.fromEntries(
        names.flatMap((name, index) => {
          const value = cells[index]?.trim() ?? '';
          return value === '' ? [] : [[name, value]];
        }),
      ),
    ),
  };
}

const failure = (problem: string): Table => ({ rows: [], problem });

/** Splits lines into values, without empty lines. A quoted value can contain separators, line breaks and "" for a quote. */
function splitCells(text: string): string[][] {
  const [firstLine = ''] = text.split(/\r?\n/, 1);
  const separator = ['\t', ',', ';'].find(candidate => firstLine.includes(candidate)) ?? ',';
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
    if (cells.some(value => value.trim() !== '')) lines.push(cells);
    cells = [];
  };
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (isQuoted && char === '"' && text.charAt(index + 1) === '"') {
      cell += '"';
      index++;
    } else if (char === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted;
    else if (!isQuoted && char === separator) endCell();
    else if (!isQuoted && char === '\n') endLine();
    else if (isQuoted || char !== '\r') cell += char;
  }
  endLine();
  return lines;
}
