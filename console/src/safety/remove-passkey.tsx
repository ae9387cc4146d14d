import { Text } from '@mantine/core'
import { useState } from 'react'
import type { ResultOf } from '../api/api.tsx'
import { useAct } from '../api/use-act.ts'
import { Confirm } from '../components/confirm.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useNow } from '../components/use-now.ts'
import { useFormat, useTexts } from '../language/language.tsx'
import { WithoutPasskey } from './add-passkey.tsx'
import { passkeyTexts } from './passkey-texts.ts'

interface RemovePasskeyProps {
  readonly passkey: ResultOf<'listPasskeys'>['passkeys'][number]
  /** A passkey can confirm it. */
  readonly canConfirm: boolean
  readonly onClose: () => void
}

/** Removes a passkey: at once if a passkey confirms it, otherwise after the waiting time. */
export function RemovePasskey({ passkey, canConfirm, onClose }: RemovePasskeyProps) {
  const { passkey_id, name } = passkey
  const t = useTexts(passkeyTexts)
  const format = useFormat()
  const now = useNow(60_000)
  const [isWithout, setWithout] = useState(false)
  const remove = useAct('deletePasskey', {
    confirmFirst: canConfirm && !isWithout,
    onDone({ removed_at }) {
      onClose()
      const isLater = removed_at !== null && new Date(removed_at) > now
      sayDone(isLater ? t.removedLater(format.moment(removed_at, now)) : t.removed)
    },
  })
  return (
    <Confirm
      opened
      title={t.removeOne(name)}
      act={t.remove}
      danger
      acting={remove.isPending}
      error={remove.error}
      onAct={() => remove.mutate({ passkey_id })}
      onClose={onClose}
    >
      <Text>{t.removeText(name)}</Text>
      {canConfirm && <WithoutPasskey checked={isWithout} onChange={setWithout} />}
    </Confirm>
  )
}
