/** Returns the browser's message about invalid JSON, or undefined if the string is valid. */
export function findJsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Formats JSON with one member per line. Numbers and strings stay as they are, so that long numbers lose no digits. */
export function formatJson(text: string): string {
  if (findJsonProblem(text) !== undefined) return text;
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  const lineBreak = () => `\n${'  '.repeat(depth)}`;
  return tokens
    .map((token, index) => {
      const isEmpty = /^[}\]]$/.test(tokens[index + 1] ?? '');
      if (token === ',') return `,${lineBreak()}`;
      if (token === ':') return ': ';
      if (token === '{' || token === '[') {
        if (isEmpty) return token;
        depth++;
        return token + lineBreak();
      }
      if (token === '}' || token === ']') {
        if (/^[{[]$/.test(tokens[index - 1] ?? '')) return token;
        depth--;
        return lineBreak() + token;
      }
      return token;
    })
    .join('');
}
