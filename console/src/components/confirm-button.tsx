import { Button, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { InputOf, Operation, ResultOf } from '../api/api.tsx'
import { useAct } from '../api/use-act.ts'
import { useTexts } from '../language/language.tsx'
import { Confirm } from './confirm.tsx'
import { componentTexts } from './texts.ts'
import { sayDone } from './toasts.tsx'

interface ConfirmButtonProps<Name extends Operation> {
  readonly operation: Name
  readonly input: InputOf<Name>
  /** The act in a word: on the button, and on the button of the question. */
  readonly act: string
  /** The act cancels a change that waits, so the buttons of the question say more than “Cancel”. */
  readonly cancels?: boolean
  /** The act with what it is done to: the question, and what a screen reader calls the button. */
  readonly title: string
  /** What will happen, and that it cannot be taken back. */
  readonly children: ReactNode
  /** What is said afterwards. */
  readonly done: (result: ResultOf<Name>) => string
  readonly danger?: boolean
  readonly size?: 'sm' | 'md'
}

/** A button of something that cannot be taken back: it asks first, and does it once. */
export function ConfirmButton<Name extends Operation>(props: ConfirmButtonProps<Name>) {
  const { operation, input, act, cancels = false, title, children, done, danger = false, size = 'sm' } = props
  const t = useTexts(componentTexts)
  const [isAsked, ask] = useState(false)
  const does = useAct(operation, {
    onDone(result) {
      ask(false)
      sayDone(done(result))
    },
  })
  return (
    <>
      <Button
        size={size}
        variant="default"
        {...(title !== act && { 'aria-label': title })}
        onClick={() => ask(true)}
      >
        {act}
      </Button>
      {isAsked && (
        <Confirm
          opened
          title={title}
          act={cancels ? t.cancelChange : act}
          {...(cancels && { close: t.keepChange })}
          danger={danger}
          acting={does.isPending}
          error={does.error}
          onAct={() => does.mutate(input)}
          onClose={() => ask(false)}
        >
          <Text>{children}</Text>
        </Confirm>
      )}
    </>
  )
}
