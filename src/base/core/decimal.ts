/**
 * Returns true if a number is a multiple of another in decimal arithmetic: 19.99 is a multiple of 0.01, although the
 * quotient of the two doubles is not an integer.
 */
export function isMultiple(value: number, divisor: number): boolean {
  if (divisor === 0 || !Number.isFinite(value)) return false
  const [digits, exponent] = toDecimal(value)
  const [divisorDigits, divisorExponent] = toDecimal(divisor)
  const shift = Math.min(exponent, divisorExponent)
  return (digits * 10n ** BigInt(exponent - shift)) % (divisorDigits * 10n ** BigInt(divisorExponent - shift)) === 0n
}

/** Returns the digits and the exponent of a finite number: -15 and -1 for -1.5. */
function toDecimal(number: number): [digits: bigint, exponent: number] {
  const [mantissa = '', exponent = '0'] = String(number).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}
