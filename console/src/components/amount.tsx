import { useFormat } from '../language/language.tsx'

/** An amount in INR, with figures that stand below each other in columns. */
export function Amount({ rupees }: { readonly rupees: number }) {
  return <span className="figures">{useFormat().amount(rupees)}</span>
}
