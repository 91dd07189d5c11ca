/** The size of a random test: CAMPAIGN=long runs the larger one (`npm run campaign:model`). */
export const sized = ({ usual, long }: { usual: number; long: number }): number =>
  process.env.CAMPAIGN === 'long' ? long : usual;

/** For a test with many generated cases, which take longer than the usual timeout on a busy machine. */
export const GENERATED = { timeout: sized({ usual: 300_000, long: 7_200_000 }) };
