import pg from 'pg';

/** Made-up words, so that a search for text finds what was put there and nothing by chance. */
export const WORDS = ['ba', 'co', 'du', 'fe', 'gi', 'ho', 'la', 'mi', 'no', 'pu'].flatMap(first =>
  ['bra', 'clo', 'dri', 'fle', 'gru', 'pla', 'ske', 'sto'].flatMap(second =>
    ['ben', 'dor', 'lin', 'mak', 'tus'].map(third => first + second + third),
  ),
);

export const WORD_ARRAY = `${pg.escapeLiteral(`{${WORDS.join(',')}}`)}::text[]`;

// From 0 to 1, the same for the same event in every run. Inline: as SQL functions these made the load 11 times slower.
export const draw = (n: string, salt: number) =>
  `((hashint8extended(${n}, ${salt}) & 9007199254740991) / 9007199254740992.0::float8)`;
/** From 1 to size, the smaller the more often (Zipf 1.0): of 300 the first has 12 %, of 500 the first 11 %. */
export const rank = (n: string, salt: number, size: number | string) =>
  `floor(exp(${draw(n, salt)} * ln(${size} + 1)))::integer`;
export const oneOf = (n: string, salt: number, size: number) => `floor(${draw(n, salt)} * ${size})::integer`;
