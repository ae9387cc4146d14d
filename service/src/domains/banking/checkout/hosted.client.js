// Starts the gateway's own checkout. Its script must be loaded from the gateway, so it may load late or never.
const hosted = document.querySelector('[data-checkout]')
const find = name => hosted.querySelector(`[data-${name}]`)
const pay = find('pay')
const progress = find('progress')
const blocked = find('blocked')
const retry = find('retry')
const PATIENCE_MS = 12_000

function show(state) {
  pay.disabled = state !== 'ready'
  pay.hidden = state === 'blocked'
  progress.hidden = state === 'ready' || state === 'blocked'
  blocked.hidden = retry.hidden = state !== 'blocked'
}

function load() {
  show('loading')
  const script = document.createElement('script')
  // Slow is not blocked: if the script loads after all, the button works.
  const timer = setTimeout(() => show('blocked'), PATIENCE_MS)
  script.addEventListener('load', () => {
    clearTimeout(timer)
    show(typeof window.Cashfree === 'function' ? 'ready' : 'blocked')
  })
  script.addEventListener('error', () => {
    clearTimeout(timer)
    script.remove()
    show('blocked')
  })
  script.src = hosted.dataset.checkout
  document.head.append(script)
}

async function begin() {
  pay.disabled = true
  progress.hidden = false
  progress.textContent = 'Opening the payment page…'
  try {
    const cashfree = window.Cashfree({ mode: hosted.dataset.mode })
    const result = await cashfree.checkout({ paymentSessionId: hosted.dataset.session, redirectTarget: '_self' })
    if (result?.error) show('blocked')
  } catch {
    show('blocked')
  }
}

pay.addEventListener('click', () => void begin())
retry.addEventListener('click', () => (typeof window.Cashfree === 'function' ? show('ready') : load()))
load()
