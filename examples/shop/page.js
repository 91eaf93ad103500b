/** The script of the page: the visit, the lead, and the card form. */
const shop = document.getElementById('shop');
const who = document.getElementById('who');
const problem = document.getElementById('problem');
const payment = document.getElementById('payment');

// Counterfoil is the global of the host's script.
const counterfoil = globalThis.Counterfoil.start({
  leadKey: shop.dataset.leadKey,
  paymentKey: shop.dataset.paymentKey,
});

who.addEventListener('submit', async (event) => {
  event.preventDefault();
  problem.textContent = '';
  const email = document.getElementById('email').value;
  const firstName = document.getElementById('first-name').value;
  const lead = await counterfoil.lead({ email, firstName });
  const { serviceSession, partnerSession } = counterfoil.visit;
  const answer = await fetch('/checkout', {
    method: 'POST',
    body: JSON.stringify({ email, serviceSession, partnerSession }),
  });
  const session = await answer.json();
  if (!lead.ok || !answer.ok) {
    problem.textContent = session.message ?? 'That did not work. Please try again.';
    return;
  }
  who.hidden = true;
  payment.hidden = false;
  document.getElementById('payment-title').focus();
  counterfoil.mountCard(document.getElementById('card'), session);
});
