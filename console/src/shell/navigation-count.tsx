import classes from './shell.module.css'

/** How many things wait at a destination; nothing when none does. */
export function NavigationCount({ count, meaning }: { readonly count: number; readonly meaning: string }) {
  if (count === 0) return null
  return (
    <span className={classes.count}>
      <span aria-hidden>{count > 99 ? '99+' : count}</span>
      <span className="visually-hidden">{meaning}</span>
    </span>
  )
}
