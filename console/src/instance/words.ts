import { formatNumber } from '../ui/words.ts';

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** Formats bytes in powers of 1,000, for example as "1.2 GB". */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1).replace('.0', '') : formatNumber(Math.round(value))} ${UNITS[power]}`;
}

/** Returns how much of a limit is used. The console warns from 80%, and at 100% nothing more can be created. */
export function getLimitUsage(used: number, limit: number): { percent: number; tone: 'on' | 'warn' | 'bad' } {
  const percent = limit === 0 ? 100 : Math.min(100, Math.floor((used / limit) * 100));
  return { percent, tone: used >= limit ? 'bad' : percent >= 80 ? 'warn' : 'on' };
}
