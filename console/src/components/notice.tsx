import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import classes from './notice.module.css'

interface NoticeProps {
  readonly kind: 'warn' | 'bad'
  readonly children: ReactNode
}

/** Something that the reader has to know, said as soon as it appears. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div role="status" className={classes.notice} data-kind={kind}>
      <Icon name="warning" />
      <div>{children}</div>
    </div>
  )
}
