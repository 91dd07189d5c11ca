/** Why a string is not valid JSON, in the words of the browser; undefined if it is valid. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Valid JSON with one member per line. Numbers and strings stay as they are written, so no digit of a long number is lost. */
export function formatJson(text: string): string {
  if (jsonProblem(text) !== undefined) return text;
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return tokens
    .map((token, index) => {
      const isEmpty = /^[}\]]$/.test(tokens[index + 1] ?? '');
      if (token === ',') return `,${line()}`;
      if (token === ':') return ': ';
      if (token === '{' || token === '[') {
        if (isEmpty) return token;
        depth++;
        return token + line();
      }
      if (token === '}' || token === ']') {
        if (/^[{[]$/.test(tokens[index - 1] ?? '')) return token;
        depth--;
        return line() + token;
      }
      return token;
    })
    .join('');
}
