import type { Owner } from '@batua/sdk'
import { Text } from '@mantine/core'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../components/confirm.tsx'
import { useTextFields } from '../../components/text-fields.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useNow } from '../../components/use-now.ts'
import { useFormat, useTexts } from '../../language/language.tsx'
import { accountTexts } from './account-texts.ts'

const ACCOUNT = /^\d{9,18}$/
const IFSC = /^[A-Z]{4}0[A-Z0-9]{6}$/

interface ChangeAccountProps {
  readonly owner: Owner
  readonly onClose: () => void
}

/** Submits an account to the bank's check. The number is written twice, because money follows it. */
export function ChangeAccount({ owner, onClose }: ChangeAccountProps) {
  const t = useTexts(accountTexts)
  const format = useFormat()
  const now = useNow(60_000)
  const { values, check, inputs } = useTextFields({
    account: {
      ...{ label: t.number, inputMode: 'numeric' },
      wrong: text => !ACCOUNT.test(digitsOf(text)) && t.accountWrong,
    },
    again: {
      ...{ label: t.again, inputMode: 'numeric' },
      wrong: (text, all) => digitsOf(text) !== digitsOf(all.account) && t.againWrong,
    },
    ifsc: { label: t.ifsc, hint: t.ifscHint, wrong: text => !IFSC.test(text.toUpperCase()) && t.ifscWrong },
  })
  const isFirst = owner.kyc_status !== 'verified'
  const submit = useAct('submitKyc', {
    onDone({ kyc_status, reason, pending_bank_account: pending }) {
      onClose()
      if (pending !== null) sayDone(t.willHold(pending.last4, format.moment(pending.effective_at, now)))
      else if (reason !== null) sayDone(kyc_status === 'failed' ? t.isRefused : t.isAsked)
      else sayDone(t.holds)
    },
  })
  return (
    <Confirm
      opened
      title={isFirst ? t.add : t.change}
      act={isFirst ? t.submitFirst : t.submit}
      acting={submit.isPending}
      error={submit.error}
      onAct={() => {
        if (!check()) return
        submit.mutate({
          owner_id: owner.owner_id,
          bank_account: digitsOf(values.account),
          bank_ifsc: values.ifsc.toUpperCase(),
        })
      }}
      onClose={onClose}
    >
      <Text>{isFirst ? t.addText(owner.name) : t.changeText(owner.name)}</Text>
      {inputs}
    </Confirm>
  )
}

/** People write account numbers in groups. */
function digitsOf(text: string): string {
  return text.replaceAll(/\s/g, '')
}
