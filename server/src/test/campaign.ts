const LONG = process.env.CAMPAIGN === 'long';

/** The size of a random test: CAMPAIGN=long runs the larger one (`npm run campaign:model`). */
export const sized = ({ usual, long }: { usual: number; long: number }): number => (LONG ? long : usual);

/**
 * The seed of a random test. CI always uses the same one, so that it fails because of the change that it checks. Campaigns
 * and developers get a new one each time; SEED repeats a run.
 */
export const SEED = Number(process.env.SEED ?? (process.env.CI && !LONG ? 777 : Date.now() % 1_000_000_000));

/** For a test with many generated cases, which take longer than the usual timeout on a busy machine. */
export const GENERATED = { timeout: sized({ usual: 300_000, long: 7_200_000 }) };

/**
 * For a test that makes hundreds of requests, or runs a program: seconds on a quiet machine, a minute next to many other tests.
 */
export const MANY_REQUESTS = { timeout: 300_000 };
