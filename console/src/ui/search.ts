/** The query parameters of a page: strings or lists of strings. */
export type Search = Record<string, string | string[] | undefined>;

/** Parses a URL query string. Pages and the API use the same format. Different values of a name become a list. */
export function parseSearch(text: string): Search {
  const search: Search = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const existing = search[name];
    search[name] =
      existing === undefined || existing === value ? value : [...new Set([existing, value].flat())];
  }
  return search;
}

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === '') continue;
    for (const item of Array.isArray(value) ? value : [value]) query.append(name, String(item));
  }
  // Colons, commas and slashes are valid in a query. Leaving them unescaped keeps URLs short and readable.
  const text = query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%2F', '/');
  return text ? `?${text}` : '';
}
