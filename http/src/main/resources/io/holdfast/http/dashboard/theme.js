// Runs before the first paint, so that a chosen theme does not flash.
(() => {
    let theme = null;
    try {
        theme = localStorage.getItem('holdfast.theme');
    } catch {
        // Without storage, the theme of the system is used.
    }
    if (theme === 'dark' || theme === 'light') {
        document.documentElement.dataset.theme = theme;
    }
})();
