// Runs before the page is painted, so that a chosen theme does not flash.
(() => {
    let theme = null;
    try {
        theme = localStorage.getItem('holdfast.theme');
    } catch {
        // A browser that keeps nothing follows the system.
    }
    if (theme === 'dark' || theme === 'light') {
        document.documentElement.dataset.theme = theme;
    }
})();
