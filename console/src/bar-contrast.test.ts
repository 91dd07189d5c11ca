import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The contrast that WCAG 1.4.11 requires of graphics. */
const MIN_CONTRAST = 3;
const TOKENS = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

const readColors = (token: string): string[] =>
  new RegExp(`${token}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(TOKENS)?.slice(1) ?? [];

/** The relative luminance that WCAG defines. */
function computeLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(start => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function computeContrast(color: string, background: string): number {
  const [a, b] = [computeLuminance(color) + 0.05, computeLuminance(background) + 0.05];
  return Math.max(a, b) / Math.min(a, b);
}

test.each(['--h-bar', '--h-bar-on', '--h-bar-good'])(
  'the bars of charts in the color %s stand out from the background in both schemes',
  token => {
    const backgrounds = readColors('--h-surface');
    const colors = readColors(token);

    expect(colors).toHaveLength(2);
    colors.forEach((color, scheme) => {
      expect(computeContrast(color, backgrounds[scheme] ?? '')).toBeGreaterThanOrEqual(MIN_CONTRAST);
    });
  },
);
