const NUMBER = new Intl.NumberFormat('en');

/** A number and its noun: "1 event", "2,341 events". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${NUMBER.format(count)} ${count === 1 ? noun : plural}`;

export const formatNumber = (value: number): string => NUMBER.format(value);

/** Class names, without those that do not apply. */
export const cx = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ');
