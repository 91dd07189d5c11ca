export type SqlStatement = {
  /** The statement without comments, except those in function bodies. */
  text: string;
  /** The line of the file on which the statement begins, counted from 1. */
  line: number;
  /**
   * The statement in lower case, with single spaces, and with literals and function bodies emptied, to match against a pattern.
   */
  bareText: string;
};

const COMMENT = /--[^\n]*|\/\*[\s\S]*?\*\//;
const LITERAL = /\be'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|\$([a-z_]\w*)?\$[\s\S]*?\$\1\$/;
const QUOTED_NAME = /"(?:[^"]|"")*"/;
const TOKEN = new RegExp(
  `(?<comment>${COMMENT.source})|(?<literal>${LITERAL.source.replace('\\1', '\\3')})|${QUOTED_NAME.source}|;|[\\s\\S]`,
  'giy',
);

/** Splits a file at its semicolons. Bodies in the form `begin atomic … end` are not supported, so write them in `$$`. */
export function splitStatements(file: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let [text, bareText, start] = ['', '', -1];
  const finish = () => {
    if (start >= 0) {
      const line = file.slice(0, start).split('\n').length;
      statements.push({
        text: text.trim(),
        line,
        bareText: bareText.toLowerCase().replace(/\s+/g, ' ').trim(),
      });
    }
    [text, bareText, start] = ['', '', -1];
  };
  for (const { 0: token, index, groups } of file.matchAll(TOKEN)) {
    if (token === ';') finish();
    else if (groups?.comment === undefined) {
      if (start < 0 && token.trim() !== '') start = index;
      text += token;
      bareText += groups?.literal === undefined ? token : "''";
    } else {
      text += ' ';
      bareText += ' ';
    }
  }
  finish();
  return statements;
}
