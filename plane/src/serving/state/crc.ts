/** The polynomial of CRC-32 in the bit order of gzip: the highest bit is the coefficient of x^0. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
const X_TO_THE_8 = 0x00800000;

/** The product of two polynomials over GF(2), modulo the polynomial of CRC-32. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** Returns x^(8 × length), by which a CRC is multiplied when this many bytes follow it. */
export function crcShift(length: number): number {
  let shift = ONE;
  let power = X_TO_THE_8;
  // Divides rather than shifts, because a length can have more than 32 bits.
  for (let remaining = length; remaining > 0; remaining = Math.floor(remaining / 2)) {
    if (remaining % 2 === 1) shift = multiply(shift, power);
    power = multiply(power, power);
  }
  return shift;
}

/** The CRC of two concatenated strings, from the CRC of each and the shift of the second. Reads neither string. */
export const combineCrc = (firstCrc: number, secondCrc: number, secondShift: number): number =>
  (multiply(firstCrc, secondShift) ^ secondCrc) >>> 0;
