import classes from './brand.module.css'

/** The wallet and the name. */
export function Brand() {
  return (
    <span className={classes.brand}>
      <img src="/console/icon.svg" alt="" width={28} height={28} />
      Batua
    </span>
  )
}
