import { useTexts } from '../language/language.tsx'
import classes from './status.module.css'
import { componentTexts } from './texts.ts'

const KINDS = {
  active: 'good',
  approved: 'good',
  paused: 'warn',
  pending_approval: 'warn',
  quarantined: 'bad',
  frozen: 'bad',
  rejected: 'plain',
  expired: 'plain',
  deactivated: 'plain',
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  completed: 'good',
  reversed: 'plain',
  revoked: 'plain',
  held: 'warn',
  released: 'good',
  refunded: 'plain',
  open: 'warn',
  confirmed: 'bad',
  dismissed: 'plain',
  running: 'warn',
  finished: 'good',
} as const

export type StatusName = keyof typeof KINDS

/** A state in words, with a colour that says nothing more. */
export function Status({ is }: { readonly is: StatusName }) {
  const t = useTexts(componentTexts)
  return (
    <span className={classes.status} data-kind={KINDS[is]}>
      {t.status[is]}
    </span>
  )
}
