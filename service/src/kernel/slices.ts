/** The items in their order, in slices of `size`; the last one may be shorter. */
export function slicesOf<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => index * size)
  return starts.map(start => items.slice(start, start + size))
}
