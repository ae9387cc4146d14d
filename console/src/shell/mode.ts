/** Whether the service simulates money, as it wrote into the page. */
export const IS_SANDBOX = document.documentElement.dataset['mode'] === 'sandbox'
