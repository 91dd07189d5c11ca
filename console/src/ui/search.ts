/** The query of a page: flat strings, as in the query of the API. */
export type Search = Record<string, string | string[] | undefined>;

/** The query of the URL is the query of the API. A name that occurs twice is a list. */
export function parseSearch(text: string): Search {
  const search: Search = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = search[name];
    search[name] = before === undefined ? value : [before, value].flat();
  }
  return search;
}

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  // A query may contain colons, commas and slashes. They keep URLs short and readable.
  const text = query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%2F', '/');
  return text ? `?${text}` : '';
}
