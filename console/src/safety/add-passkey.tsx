import { Checkbox, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../api/api.tsx'
import { makePasskey } from '../api/passkey.ts'
import { useAct } from '../api/use-act.ts'
import { Confirm } from '../components/confirm.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useIsPhone } from '../components/use-is-phone.ts'
import { useNow } from '../components/use-now.ts'
import { useFormat, useTexts } from '../language/language.tsx'
import { passkeyTexts } from './passkey-texts.ts'

interface AddPasskeyProps {
  /** Another passkey can confirm it. */
  readonly canConfirm: boolean
  readonly onClose: () => void
}

/** Makes a passkey on a device and enrols it: at once if another one confirms that, or if it is the first. */
export function AddPasskey({ canConfirm, onClose }: AddPasskeyProps) {
  const t = useTexts(passkeyTexts)
  const format = useFormat()
  const client = useClient()
  const isPhone = useIsPhone()
  const now = useNow(60_000)
  const [name, write] = useState(isPhone ? t.usualName : t.usualDeskName)
  const [isWrong, setWrong] = useState(false)
  const [isWithout, setWithout] = useState(false)
  const enrol = useAct('createPasskey', {
    confirmFirst: canConfirm && !isWithout,
    onDone({ created_at, effective_at }) {
      onClose()
      sayDone(created_at === effective_at ? t.added : t.addedLater(format.moment(effective_at, now)))
    },
  })
  const make = useMutation({
    mutationFn: async (given: string) => {
      const options = await client.getPasskeyOptions()
      return enrol.mutateAsync({ name: given, response: await makePasskey(options) })
    },
  })
  return (
    <Confirm
      opened
      title={t.add}
      act={t.add}
      acting={make.isPending}
      error={make.error}
      onAct={() => {
        const given = name.trim()
        setWrong(given === '')
        if (given !== '') make.mutate(given)
      }}
      onClose={onClose}
    >
      <Text>{t.addText}</Text>
      <TextInput
        label={t.name}
        description={t.nameHint}
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={event => write(event.currentTarget.value)}
        error={isWrong && t.nameWrong}
      />
      {canConfirm && <WithoutPasskey checked={isWithout} onChange={setWithout} />}
    </Confirm>
  )
}

interface WithoutPasskeyProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

/** For an owner who has lost the device: the change then waits, and a message is sent to the phone. */
export function WithoutPasskey({ checked, onChange }: WithoutPasskeyProps) {
  const t = useTexts(passkeyTexts)
  return (
    <Checkbox
      label={t.without}
      description={t.withoutHint}
      checked={checked}
      onChange={event => onChange(event.currentTarget.checked)}
    />
  )
}
