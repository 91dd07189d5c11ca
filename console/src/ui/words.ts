const NUMBER = new Intl.NumberFormat('en');

/** A number and its noun: "1 event", "2,341 events". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${NUMBER.format(count)} ${count === 1 ? noun : plural}`;

export const formatNumber = (value: number): string => NUMBER.format(value);

/** Class names, without those that do not apply. */
export const cx = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ');

const SHORT: Record<string, string> = { development: 'dev', staging: 'stage', production: 'prod' };

/** The name of an environment where space is limited: "prod". Other names are not shortened. */
export const shortEnvironment = (name: string): string => SHORT[name] ?? name;
