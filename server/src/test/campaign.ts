const IS_LONG = process.env.CAMPAIGN === 'long';

/** Returns the size of a random test. CAMPAIGN=long runs the larger size (`npm run campaign:model`). */
export const campaignSize = ({ usual, long }: { usual: number; long: number }): number =>
  IS_LONG ? long : usual;

/**
 * The seed of a random test. CI always uses the same seed, so that a failure is caused by the change that it checks. Campaigns and
 * developers get a new seed each time, and SEED repeats a run.
 */
export const SEED = Number(
  process.env.SEED ?? (process.env.CI && !IS_LONG ? 777 : Date.now() % 1_000_000_000),
);

/** For a test with many generated cases, which take longer than the usual timeout on a busy machine. */
export const GENERATED = { timeout: campaignSize({ usual: 300_000, long: 7_200_000 }) };

/**
 * For a test that makes hundreds of requests, or runs a program. Such a test takes seconds on its own, but up to a minute
 * next to many others.
 */
export const MANY_REQUESTS = { timeout: 300_000 };
