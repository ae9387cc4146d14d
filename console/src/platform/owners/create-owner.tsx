import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../components/confirm.tsx'
import { useTextFields } from '../../components/text-fields.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { ownersTexts } from './texts.ts'

/** The button that asks for a new owner; `isMain`: it is what the page is for. */
export function CreateOwner({ isMain = true }: { readonly isMain?: boolean }) {
  const t = useTexts(ownersTexts)
  const [isAsked, ask] = useState(false)
  return (
    <>
      <Button variant={isMain ? 'filled' : 'default'} onClick={() => ask(true)}>
        {t.create}
      </Button>
      {isAsked && <NewOwner onClose={() => ask(false)} />}
    </>
  )
}

function NewOwner({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(ownersTexts)
  const { values, check, inputs } = useTextFields({
    name: { label: t.name, hint: t.nameHint, wrong: text => text === '' && t.nameWrong },
    phone: { label: t.phone, hint: t.phoneHint, type: 'tel', wrong: text => text === '' && t.phoneWrong },
    pan: {
      ...{ label: t.pan, hint: t.panHint },
      wrong: text => !/^[A-Z]{5}\d{4}[A-Z]$/i.test(text) && t.panWrong,
    },
    email: { label: t.email, type: 'email' },
  })
  const create = useAct('createOwner', {
    onDone({ name }) {
      onClose()
      sayDone(t.isCreated(name))
    },
  })
  return (
    <Confirm
      opened
      title={t.create}
      act={t.createAct}
      acting={create.isPending}
      error={create.error}
      onAct={() => {
        const { email, ...needed } = values
        if (check()) create.mutate({ ...needed, ...(email !== '' && { email }) })
      }}
      onClose={onClose}
    >
      <Text>{t.createText}</Text>
      {inputs}
    </Confirm>
  )
}
