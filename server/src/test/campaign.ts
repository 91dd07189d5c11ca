/** The size of a random test: CAMPAIGN=long runs the larger one (`npm run campaign:model`). */
export const sized = ({ usual, long }: { usual: number; long: number }): number =>
  process.env.CAMPAIGN === 'long' ? long : usual;

/** For a test of many generated cases: a busy machine takes longer than the usual timeout. */
export const GENERATED = { timeout: sized({ usual: 300_000, long: 7_200_000 }) };
