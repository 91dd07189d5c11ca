/** The size of a random test: CAMPAIGN=long runs the larger one (`npm run campaign:model`). */
export const sized = ({ usual, long }: { usual: number; long: number }): number =>
  process.env.CAMPAIGN === 'long' ? long : usual;
