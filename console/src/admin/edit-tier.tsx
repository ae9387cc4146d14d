import type { TierDefaults } from '@batua/sdk'
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { rupeesIn } from '../agents/rupees.ts'
import type { ResultOf } from '../api/api.tsx'
import { useAct } from '../api/use-act.ts'
import { Confirm } from '../components/confirm.tsx'
import { componentTexts } from '../components/texts.ts'
import { sayDone } from '../components/toasts.tsx'
import { useFormat, useTexts } from '../language/language.tsx'
import classes from './admin.module.css'
import { tiersTexts } from './tier-texts.ts'

export const TIER_LIMITS = ['per_tx', 'daily', 'monthly', 'escrow_above', 'approval_above'] as const

type Limit = (typeof TIER_LIMITS)[number]

/** A tier's limits, and how many owners have it. */
export type ListedTier = ResultOf<'listTiers'>['tiers'][number]

interface EditTierProps {
  readonly tier: ListedTier
  readonly onClose: () => void
}

/** Changes limits of a tier, and says beforehand what changes and for how many owners. */
export function EditTier({ tier, onClose }: EditTierProps) {
  const t = useTexts(tiersTexts)
  const { tiers } = useTexts(componentTexts)
  const name = tiers[tier.tier]
  const [written, write] = useState<Record<Limit, string>>(() => writtenOf(tier))
  const [isChecked, check] = useState(false)
  const changes = changesOf(tier, written)
  const update = useAct('updateTier', {
    onDone() {
      onClose()
      sayDone(t.done(name))
    },
  })
  const submit = () => {
    check(true)
    if (changes === null) return
    if (Object.keys(changes).length === 0) onClose()
    else update.mutate({ tier: tier.tier, ...changes })
  }
  return (
    <Confirm
      opened
      title={t.changeTitle(name)}
      act={t.act(tier.owners)}
      acting={update.isPending}
      error={update.error}
      onAct={submit}
      onClose={onClose}
    >
      {TIER_LIMITS.map(limit => (
        <TextInput
          key={limit}
          name={limit}
          label={t.limits[limit]}
          leftSection={<Text c="dimmed">₹</Text>}
          inputMode="decimal"
          autoComplete="off"
          value={written[limit]}
          onChange={event => write({ ...written, [limit]: event.currentTarget.value })}
          error={isChecked && rupeesIn(written[limit]) === null && t.wrong}
        />
      ))}
      <Changes tier={tier} changes={changes ?? {}} />
    </Confirm>
  )
}

interface ChangesProps {
  readonly tier: ListedTier
  readonly changes: Partial<Record<Limit, number>>
}

function Changes({ tier, changes }: ChangesProps) {
  const t = useTexts(tiersTexts)
  const format = useFormat()
  const changed = TIER_LIMITS.flatMap(limit => {
    const to = changes[limit]
    return to === undefined ? [] : [{ limit, from: tier[limit], to }]
  })
  return (
    <div role="status">
      {changed.length === 0 ? (
        <Text c="dimmed">{t.nothing}</Text>
      ) : (
        <>
          <Text fw={600}>{t.changes}</Text>
          <ul className={classes.names}>
            {changed.map(({ limit, from, to }) => (
              <li key={limit}>{t.fromTo(t.limits[limit], format.amount(from), format.amount(to))}</li>
            ))}
          </ul>
          <Text mt="xs">{t.concerns(tier.owners)}</Text>
        </>
      )}
    </div>
  )
}

function writtenOf(tier: TierDefaults): Record<Limit, string> {
  return Object.fromEntries(TIER_LIMITS.map(limit => [limit, String(tier[limit])])) as Record<Limit, string>
}

/** The limits that are not what they were; null: a field holds no amount. */
function changesOf(tier: TierDefaults, written: Record<Limit, string>): ChangesProps['changes'] | null {
  const changes: Partial<Record<Limit, number>> = {}
  for (const limit of TIER_LIMITS) {
    const value = rupeesIn(written[limit])
    if (value === null) return null
    if (value !== tier[limit]) changes[limit] = value
  }
  return changes
}
