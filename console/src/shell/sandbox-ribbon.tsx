import { useTexts } from '../language/language.tsx'
import { IS_SANDBOX } from './mode.ts'
import classes from './ribbon.module.css'
import { shellTexts } from './texts.ts'

/** Above every page of a sandbox. */
export function SandboxRibbon() {
  const t = useTexts(shellTexts)
  return IS_SANDBOX ? (
    <aside className={classes.ribbon} data-kind="sandbox" aria-label={t.sandboxName}>
      {t.sandbox}
    </aside>
  ) : null
}
