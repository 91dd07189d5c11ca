/** A series of one value per label, such as the p95 of each case. */
export type Series = { name: string; color: string; values: Map<string, number> };

const ROW = 16;
const LEFT = 250;
const WIDTH = 620;
const TOP = 44;

/** Labels from top to bottom, values from left to right on a logarithmic scale, as SVG. */
export function plotLog(title: string, labels: string[], series: Series[]): string {
  const values = series.flatMap(one => [...one.values.values()]).filter(value => value > 0);
  const low = Math.floor(Math.log10(Math.min(1, ...values)));
  const high = Math.ceil(Math.log10(Math.max(1_000, ...values)));
  const x = (value: number) => LEFT + ((Math.log10(value) - low) / (high - low)) * WIDTH;
  const y = (n: number) => TOP + n * ROW + ROW / 2;
  const bottom = TOP + labels.length * ROW;
  const decades = Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${LEFT + WIDTH + 30}" height="${bottom + 30}" ` +
      `font-family="sans-serif" font-size="11">`,
    `<title>Event search over HTTP: p95 of each case</title>`,
    `<rect width="100%" height="100%" fill="white"/>`,
    `<text x="10" y="18" font-size="14">${escaped(title)}</text>`,
    ...series.map(
      ({ name, color }, n) =>
        `<circle cx="${LEFT + n * 150}" cy="32" r="4" fill="${color}"/>` +
        `<text x="${LEFT + n * 150 + 8}" y="36">${escaped(name)}</text>`,
    ),
    ...decades.map(
      value =>
        `<line x1="${x(value)}" x2="${x(value)}" y1="${TOP}" y2="${bottom}" stroke="#ddd"/>` +
        `<text x="${x(value)}" y="${bottom + 16}" text-anchor="middle">${value} ms</text>`,
    ),
    ...labels.map(
      (label, n) => `<text x="${LEFT - 8}" y="${y(n) + 4}" text-anchor="end">${escaped(label)}</text>`,
    ),
    ...series.flatMap(({ color, values: points }) =>
      labels.flatMap((label, n) => {
        const value = points.get(label);
        return value ? [`<circle cx="${x(value).toFixed(1)}" cy="${y(n)}" r="4" fill="${color}"/>`] : [];
      }),
    ),
    '</svg>\n',
  ].join('\n');
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
